// What a generator is given, and what comes of it. Generators read; they write nothing.

import type { Repository } from '#gitops/source'
import type { WebClient } from '#gitops/web'
import type { Generator } from '#kinds'
import type { AwsEnvironment } from '../providers/aws-environment.ts'
import type { Params, TemplateStyle } from '../template.ts'
import type { Asking } from './answers.ts'

export interface ClusterFacts {
  readonly name: string
  readonly server: string
  readonly project: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** It is there although no Secret describes it: selectors do not see it. */
  readonly implied: boolean
}

export interface GeneratorContext {
  readonly style: TemplateStyle
  /** The repository that a URL means, read not long ago. Throws SourceError for what is none. */
  readonly repository: (url: string) => Promise<Repository>
  readonly clusters: readonly ClusterFacts[]
  readonly setName: string
  readonly web: WebClient
  /** What may be used of the operator's AWS environment; undefined: nothing. */
  readonly aws: AwsEnvironment | undefined
  /** The answer of a service outside to what `block` asks, asked anew when it is due. */
  readonly remembered: <T>(generator: string, block: unknown, asking: Asking<T>) => Promise<T>
}

export type Generate = (
  generator: Generator,
  context: GeneratorContext,
  /** For generators of other generators. */
  inner: (generator: Generator, params: Params) => Promise<readonly Params[]>,
) => Promise<readonly Params[]>
