// Unpacks the data and the script of the page, and runs the script.
async function unpacked(id) {
  const packed = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}
const [data, text] = await Promise.all([unpacked("netloom-data"), unpacked("netloom-script")]);
document.getElementById("netloom-data").textContent = data;
const script = document.createElement("script");
script.type = "module";
script.textContent = text;
document.head.append(script);
