// Unpacks the script of the page and runs it.
const packed = document.getElementById("netloom-script").textContent;
const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
const script = document.createElement("script");
script.type = "module";
script.textContent = await new Response(stream).text();
document.head.append(script);
