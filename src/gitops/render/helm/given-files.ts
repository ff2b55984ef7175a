// The files that an Application gives a chart: values files in the order in which helm takes them, and the contents of
// parameters. What is not there is told.

import type { Tools } from '#gitops/tools'
import type { HelmSource } from '#kinds'
import { substitute } from '../build-environment.ts'
import type { RenderProblem } from '../directory.ts'
import type { TreeFile } from '../tree.ts'
import { escapeCommas } from './template-arguments.ts'
import { type FileAnswer, type FoundFile, findValueFile, ownPlace, type Trees } from './value-files.ts'

export interface GivenFiles {
  /** As helm is given them: files of the workspace, or URLs. */
  readonly words: readonly string[]
  readonly files: readonly PlacedFile[]
  readonly problems: readonly RenderProblem[]
}

export interface PlacedFile extends TreeFile {
  /** Where the workspace has it. */
  readonly place: string
}

export interface Giving extends Trees {
  readonly tools: Pick<Tools, 'network'>
}

type Variables = Readonly<Record<string, string>>

/** Where the workspace has the chart of a path: helm runs there. */
export const chartPlace = (path: string): string => (path === '' ? ownPlace : `${ownPlace}/${path}`)

/** A file of the workspace as helm finds it from the chart of a path. */
export const fromChart = (path: string, place: string): string =>
  `${'../'.repeat(chartPlace(path).split('/').length)}${place}`

/** Each file once. One that is named as it is stands where it is named, and is left out of what patterns find. */
export async function givenValueFiles(giving: Giving, helm: HelmSource, variables: Variables): Promise<GivenFiles> {
  const field = 'helm.valueFiles'
  const answers: Answered[] = []
  for (const raw of helm.valueFiles ?? []) {
    const text = filledIn(raw, variables)
    answers.push({ text, answer: await findValueFile(giving, text, field) })
  }
  const named = new Set(
    answers.flatMap(({ answer }) => ('found' in answer && !answer.isPattern ? placesOf(answer) : [])),
  )
  const words = new Set<string>()
  const files = new Map<string, PlacedFile>()
  const problems: RenderProblem[] = []
  for (const { text, answer } of answers) {
    if ('problem' in answer) problems.push(answer.problem)
    else if ('url' in answer) {
      if (giving.tools.network) words.add(answer.url)
      else problems.push(remote(field, text))
    } else if (answer.found.length === 0 && helm.ignoreMissingValueFiles !== true)
      problems.push({ message: `${field}: ${text} does not exist; set helm.ignoreMissingValueFiles to do without it` })
    else {
      for (const { place, file } of answer.found) {
        if (answer.isPattern && named.has(place)) continue
        words.add(fromChart(giving.path, place))
        files.set(place, { ...file, place })
      }
    }
  }
  return { words: [...words], files: [...files.values()], problems }
}

interface Answered {
  readonly text: string
  readonly answer: FileAnswer
}

const placesOf = ({ found }: { readonly found: readonly FoundFile[] }): readonly string[] =>
  found.map(({ place }) => place)

/** `--set-file name=path`: always a file of a repository, by its name. */
export async function givenFileParameters(giving: Giving, helm: HelmSource, variables: Variables): Promise<GivenFiles> {
  const field = 'helm.fileParameters'
  const words: string[] = []
  const files: PlacedFile[] = []
  const problems: RenderProblem[] = []
  for (const { name = '', path = '' } of helm.fileParameters ?? []) {
    const text = filledIn(path, variables)
    const answer = await findValueFile(giving, text, field)
    if ('problem' in answer) problems.push(answer.problem)
    else if ('url' in answer) problems.push(remote(field, text))
    else if (answer.isPattern) problems.push({ message: `${field}: ${text} is a pattern: name one file` })
    else {
      const [file] = answer.found
      if (file === undefined) problems.push({ message: `${field}: ${text} does not exist` })
      else {
        words.push(`${name}=${escapeCommas(fromChart(giving.path, file.place))}`)
        files.push({ ...file.file, place: file.place })
      }
    }
  }
  return { words, files, problems }
}

/** Of a path in another source (`$ref/…`) all but the source's name. */
function filledIn(raw: string, variables: Variables): string {
  const [whole, name] = /^\$(\w[\w-]*)/.exec(raw) ?? []
  if (whole === undefined || name === undefined || variables[name] !== undefined) return substitute(raw, variables)
  return `${whole}${substitute(raw.slice(whole.length), variables)}`
}

const remote = (field: string, text: string): RenderProblem => ({
  message: `${field}: ${text} is remote, and nothing is fetched while manifests are rendered: copy it into the repository, or start with --render-network`,
})
