// How different two colours look: CIEDE2000, for normal, deutan, protan and tritan sight.
//
// Source: Sharma, Wu and Dalal 2005 for CIEDE2000; Machado, Oliveira and Fernandes 2009 for sight that lacks one kind of
// cone. Leaves out: weaker forms of colour blindness, which see more differences.

/** From linear RGB to linear RGB, as each kind of sight sees it. */
export const SIGHTS = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** From linear RGB to XYZ, over the white D65. */
const TO_XYZ = [0.4123908, 0.3575843, 0.1804808, 0.212639, 0.7151687, 0.0721923, 0.0193308, 0.1191948, 0.9505322];
const WHITE = [0.4123908 + 0.3575843 + 0.1804808, 1, 0.0193308 + 0.1191948 + 0.9505322];

const times = (matrix, [x, y, z]) => [0, 3, 6].map((row) => matrix[row] * x + matrix[row + 1] * y + matrix[row + 2] * z);
const linear = (share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
const root = (share) => (share > 216 / 24389 ? Math.cbrt(share) : (24389 / 27 * share + 16) / 116);

/** A colour such as `#0072b2` in L*a*b*, as a kind of sight sees it. */
export function lab(colour, sight = "normal") {
  const channels = [1, 3, 5].map((from) => linear(Number.parseInt(colour.slice(from, from + 2), 16) / 255));
  const seen = times(SIGHTS[sight], channels).map((share) => Math.min(1, Math.max(0, share)));
  const [x, y, z] = times(TO_XYZ, seen).map((value, axis) => root(value / WHITE[axis]));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const RADIAN = Math.PI / 180;
const cosine = (degrees) => Math.cos(degrees * RADIAN);
const sine = (degrees) => Math.sin(degrees * RADIAN);
const hue = (a, b) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / RADIAN + 360) % 360);
/** The share by which chroma of this size counts as large. */
const large = (chroma) => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));

/** Difference of two hues and their mean; those of colours without chroma do not matter. */
function hues(one, other, isGrey) {
  if (isGrey) {
    return [0, one + other];
  }
  const apart = ((other - one + 540) % 360) - 180;
  return [apart, (one + apart / 2 + 360) % 360];
}

/** CIEDE2000 between two colours in L*a*b*. */
export function ciede2000([l1, a1, b1], [l2, a2, b2]) {
  const stretch = 1 + 0.5 * (1 - large((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const [c1, c2] = [Math.hypot(stretch * a1, b1), Math.hypot(stretch * a2, b2)];
  const [apart, mean] = hues(hue(stretch * a1, b1), hue(stretch * a2, b2), c1 * c2 === 0);
  const [light, chroma] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const tint = 1 - 0.17 * cosine(mean - 30) + 0.24 * cosine(2 * mean) + 0.32 * cosine(3 * mean + 6) - 0.2 * cosine(4 * mean - 63);
  const lightness = (l2 - l1) / (1 + (0.015 * (light - 50) ** 2) / Math.sqrt(20 + (light - 50) ** 2));
  const chromas = (c2 - c1) / (1 + 0.045 * chroma);
  const turned = (2 * Math.sqrt(c1 * c2) * sine(apart / 2)) / (1 + 0.015 * chroma * tint);
  const rotation = -2 * large(chroma) * sine(60 * Math.exp(-(((mean - 275) / 25) ** 2)));
  return Math.sqrt(lightness ** 2 + chromas ** 2 + turned ** 2 + rotation * chromas * turned);
}

/** How different two colours look to the kind of sight that separates them least, of these. */
export const difference = (one, other, sights = Object.keys(SIGHTS)) =>
  Math.min(...sights.map((sight) => ciede2000(lab(one, sight), lab(other, sight))));
