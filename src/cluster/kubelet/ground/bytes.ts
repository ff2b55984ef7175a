// Texts that are cut to so many bytes of UTF-8; what is left of a letter at the edge shows as a replacement character.

function cut(text: string, length: number, part: (bytes: Uint8Array) => Uint8Array): string {
  // A letter of a string takes three bytes at most.
  if (text.length * 3 <= length) return text
  const bytes = new TextEncoder().encode(text)
  return bytes.length <= length ? text : new TextDecoder().decode(part(bytes))
}

export const firstBytes = (text: string, length: number): string =>
  cut(text, length, (bytes) => bytes.subarray(0, length))

export const lastBytes = (text: string, length: number): string =>
  cut(text, length, (bytes) => bytes.subarray(bytes.length - length))
