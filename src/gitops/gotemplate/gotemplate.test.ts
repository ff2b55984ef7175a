import { describe, expect, test } from 'vitest'
import { executeTemplate } from './evaluate.ts'
import { TemplateFault } from './fault.ts'
import { goObject } from './go-object.ts'

const data = {
  name: 'web',
  count: 3,
  on: true,
  off: false,
  path: { path: 'apps/web_1', basename: 'web_1', segments: ['apps', 'web_1'] },
  metadata: { labels: { 'a/b': 'c', env: 'prod' } },
  items: [{ n: 'x' }, { n: 'y' }],
  nothing: null,
}
const run = (text: string, missingKeyIsFault = true): string => executeTemplate(text, data, { missingKeyIsFault })

describe('Go templates', () => {
  test.each([
    ['plain', 'plain'],
    ['{{.name}}-{{ .path.basename }}', 'web-web_1'],
    ['{{ index .path.segments 1 }}', 'web_1'],
    ['{{ index .metadata.labels "a/b" }}', 'c'],
    ['{{ (index .items 1).n }}', 'y'],
    ['{{ $x := .name }}{{ $x | upper | printf "%s-%d" }}', 'WEB-%!d(MISSING)'],
    ['{{ if and .on (eq .name "web") }}yes{{ else }}no{{ end }}', 'yes'],
    ['{{ if .off }}a{{ else if eq .count 3 }}b{{ else }}c{{ end }}', 'b'],
    ['{{ range $i, $e := .items }}{{ $i }}{{ $e.n }};{{ end }}', '0x;1y;'],
    ['{{ range .items }}{{ .n }}{{ if eq .n "x" }}{{ break }}{{ end }}{{ end }}', 'x'],
    ['{{ range $k, $v := .metadata.labels }}{{ $k }}={{ $v }} {{ end }}', 'a/b=c env=prod '],
    ['{{ range .none }}x{{ else }}empty{{ end }}', 'empty'],
    ['{{ with .path }}{{ .path }} {{ $.name }}{{ end }}', 'apps/web_1 web'],
    ['a {{- " b " -}} c', 'a b c'],
    ['{{/* said to nobody */}}x', 'x'],
    ['{{ define "t" }}<{{ . }}>{{ end }}{{ template "t" .name }}', '<web>'],
    ['{{ $n := 0 }}{{ range .items }}{{ $n = add1 $n }}{{ end }}{{ $n }}', '2'],
    ['{{ printf "%05d|%-4s|%q|%.2f|%v" 42 "ab" "c" 1.5 .path.segments }}', '00042|ab  |"c"|1.50|[apps web_1]'],
    ['{{ "a}}b" }}', 'a}}b'],
    ['{{ `raw\\n` }}', 'raw\\n'],
    ['{{ not .off }} {{ len .items }} {{ .nothing }}', 'true 2 <nil>'],
    ['{{ or .off .name }} {{ and .on .off }}', 'web false'],
    ['{{ ternary "a" "b" .on }}{{ default "d" .off }}', 'ad'],
    ['{{ .path.basename | normalize }} {{ "Hello, World! again" | slugify 12 }}', 'web-1 hello-world'],
    ['{{ .name | replace "e" "E" | trunc 2 }} {{ "a-b-c" | splitList "-" | join "/" }}', 'wE a/b/c'],
    ['{{ regexReplaceAll "(w)(e)" .name "$2$1" }} {{ regexMatch "^w" .name }}', 'ewb true'],
    ['{{ toJson .items }} {{ (fromJson "{\\"a\\":[1]}").a }}', '[{"n":"x"},{"n":"y"}] [1]'],
    ['{{ dict "a" 1 "b" (list 1 2) | toYaml }}', 'a: 1\nb:\n  - 1\n  - 2'],
    ['{{ dig "path" "nope" "fallback" . }} {{ hasKey .path "path" }}', 'fallback true'],
    ['{{ b64enc .name }} {{ sha256sum "" | trunc 8 }}', 'd2Vi e3b0c442'],
  ])('%s', (text, expected) => {
    const missing = text.includes('.none')
    expect(run(text, !missing)).toBe(expected)
  })

  test('a key that is not there', () => {
    expect(run('{{ .nope }}', false)).toBe('<no value>')
    expect(() => run('{{ .nope }}')).toThrow('map has no entry for key "nope"')
  })

  test.each([
    ['{{ .name', /unclosed action/],
    ['{{ if .on }}', /an \{\{end\}\} is missing/],
    ['{{ end }}', /unexpected \{\{end\}\}/],
    ['{{ env "HOME" }}', /function "env" not defined/],
    ['{{ now }}', /function "now" not defined/],
    ['{{ $x }}', /undefined variable "\$x"/],
    ['{{ .name.first }}', /can't evaluate field first in type string/],
    ['{{ index .items 7 }}', /index out of range: 7/],
    ['{{ fail "stop" }}', /error calling fail: stop/],
    ['{{ eq .name 1 }}', /incompatible types/],
    ['{{ range until 100000000 }}{{ end }}', /too long/],
    ['{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}', /without end/],
    ['{{ repeat 100000000 "x" }}', /too long/],
    ['{{ constructor }}', /not defined/],
    ['{{ .constructor }}', /no entry/],
  ])('%s fails', (text, message) => {
    expect(() => run(text)).toThrow(TemplateFault)
    expect(() => run(text)).toThrow(message)
  })
})

describe('functions and objects of Go', () => {
  const word = (text: string): ReturnType<typeof goObject> =>
    goObject({
      type: 'word',
      text: () => text,
      methods: Object.fromEntries([
        ['Twice', () => word(text + text)],
        ['With', (end: unknown) => `${text}${String(end)}`],
      ]),
    })
  const of = { say: goObject({ type: 'func', text: () => 'func', methods: {}, call: (text) => word(String(text)) }) }
  const run = (text: string) => executeTemplate(text, of, { missingKeyIsFault: false })

  test.each([
    ['{{ call .say "a" }}', 'a'],
    ['{{ (call .say "a").Twice.With "!" }}', 'aa!'],
    ['{{ "?" | (call .say "a").With }}', 'a?'],
    ['{{ if call .say "a" }}yes{{ end }}', 'yes'],
  ])('%s gives %s', (text, expected) => {
    expect(run(text)).toBe(expected)
  })

  test.each([
    ['{{ call "a" }}', /non-function of type string/],
    ['{{ (call .say "a").Nope }}', /can't evaluate field Nope in type word/],
    ['{{ .say "a" }}', /can't give argument to non-function/],
  ])('%s fails', (text, message) => {
    expect(() => run(text)).toThrow(message)
  })
})
