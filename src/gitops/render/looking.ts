// Renders with a tool that may look things up: run until it has been told all that it asks for. What it asks for depends on
// the answers, so that each run can bring more questions. Nothing is asked while a tool runs.

import { type ClusterView, type LookingRun, type LookupAnswer, questionText } from '#gitops/tools'
import { isSameAnswer, type LookedUp, type Lookups, versionOf } from './lookups.ts'
import { type Content, faulty, type Plan } from './plan.ts'

export interface LookupUse {
  /** Relative to the path of the source; empty: what the Application says. */
  readonly file: string
  /** 0: not known. */
  readonly line: number
}

export interface LookingTool {
  /** Of all that the result depends on but the answers. */
  readonly key: string
  /** Where something may be looked up. */
  readonly use: LookupUse
  /** What charts are told of the cluster. */
  readonly told: Pick<ClusterView, 'kubeVersion' | 'apiVersions'>
  run(view: ClusterView): Promise<LookingRun>
  read(run: Exclude<LookingRun, { readonly type: 'asked' }>): Content | Promise<Content>
}

/** The result holds as long as the cluster answers what it did. */
export function planLooking(tool: LookingTool, lookups: Lookups | undefined): Plan {
  if (lookups === undefined)
    return faulty(...problemAt(tool, 'the chart uses lookup, and there is no cluster to be asked here').problems)
  return {
    type: 'ready',
    key: `${tool.key}\n${lookups.scope}`,
    isCurrent: ({ looked = [] }) => isSameAnswer(lookups, looked),
    run: (before) => runUntilTold(tool, lookups, before?.looked ?? []),
  }
}

const maxRuns = 10
const maxQuestions = 1000
const maxAnswerBytes = 32 * 1024 * 1024

/** What was looked up the last time is asked for at once. */
async function runUntilTold(tool: LookingTool, lookups: Lookups, before: readonly LookedUp[]): Promise<Content> {
  const answers = new Map<string, LookupAnswer>()
  let bytes = 0
  let questions = before.map(({ question }) => question)
  for (let runs = 1; ; runs++) {
    for (const question of questions) {
      const answer = await lookups.ask(question)
      answers.set(questionText(question), answer)
      if (answer.type === 'found') bytes += JSON.stringify(answer.object).length
      if (answers.size > maxQuestions) return problemAt(tool, `the chart looks up more than ${maxQuestions} things`)
      if (bytes > maxAnswerBytes)
        return problemAt(tool, `the chart looks up more than ${maxAnswerBytes / 1024 / 1024} MiB`)
    }
    const came = await tool.run({ ...tool.told, served: lookups.served, answers })
    if (came.type !== 'asked') {
      const looked = came.used.map((question) => ({
        question,
        version: versionOf(answers.get(questionText(question)) ?? { type: 'absent' }),
      }))
      return { ...(await tool.read(came)), looked }
    }
    if (runs === maxRuns) return problemAt(tool, 'the chart looks up something else at every run')
    questions = [...came.questions]
  }
}

function problemAt({ use: { file, line } }: LookingTool, message: string): Content {
  const place = line === 0 ? {} : { line, column: 1 }
  return { objects: [], problems: [{ ...(file === '' ? {} : { file, ...place }), message }] }
}
