// Whole numbers and texts packed into a text: base 64 of zlib, of LEB128 for numbers, see
// crates/report/src/drawing/pack.rs. Browsers decode base 64 and zlib.

/** Decodes base 64 and zlib. */
async function inflate(text: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Decodes LEB128: seven bits per byte, the lowest first. Doubles are exact up to 2^53, which no value of a run reaches. */
function numbersIn(bytes: Uint8Array): Float64Array {
  const count = bytes.reduce((sum, byte) => sum + (byte < 0x80 ? 1 : 0), 0);
  const numbers = new Float64Array(count);
  let [place, number, worth] = [0, 0, 1];
  for (const byte of bytes) {
    number += (byte & 0x7f) * worth;
    worth *= 0x80;
    if (byte < 0x80) {
      numbers[place] = number;
      [place, number, worth] = [place + 1, 0, 1];
    }
  }
  return numbers;
}

/** The numbers in a text. */
export const numbersOf = async (packed: string): Promise<Float64Array> => numbersIn(await inflate(packed));

/** The text in a packed one. */
export const textOf = async (packed: string): Promise<string> => new TextDecoder().decode(await inflate(packed));
