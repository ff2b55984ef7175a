// Module specifiers that a TypeScript file imports or re-exports, types included.

const pattern =
  /(?:^|[\n;])\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\n;])\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g

const codeOf = (source: string): string => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

/** Every specifier, in order of appearance; comments are left out first. */
export const importsOf = (source: string): readonly string[] =>
  [...codeOf(source).matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')

/** Those that are loaded with the file: no types, nothing that it imports when it comes to it. */
export const loadedWith = (source: string): readonly string[] =>
  [...codeOf(source).matchAll(pattern)].flatMap(([statement, from, effect]) =>
    /^[\n;]?\s*(?:import|export)\s+type\s/.test(statement) ? [] : (from ?? effect ?? []),
  )
