// Module specifiers that a TypeScript file imports or re-exports, types included.

const pattern =
  /(?:^|[\n;])\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\n;])\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g

/** Every specifier, in order of appearance; comments are left out first. */
export function importsOf(source: string): readonly string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}
