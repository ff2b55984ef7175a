// Values of Secrets never stand in what people read.

const shortest = 4

export function withoutSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  const values = Object.values(secrets)
    .flatMap((value) => [value, value.trim()])
    .filter((value) => value.length >= shortest)
    .sort((a, b) => b.length - a.length)
  return values.reduce((clean, value) => clean.replaceAll(value, '***'), text)
}
