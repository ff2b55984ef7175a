// Digits that look like a digest and are the same for the same text: ids of all that is simulated.

export function digestOf(text: string): string {
  let digest = ''
  for (let part = 0; part < 8; part += 1) {
    let hash = 2166136261 ^ Math.imul(part + 1, 0x9e3779b1)
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
    hash ^= hash >>> 13
    digest += (Math.imul(hash, 0x85ebca6b) >>> 0).toString(16).padStart(8, '0')
  }
  return `sha256:${digest}`
}
