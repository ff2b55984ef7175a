// The forms in which something is known of public images: servers, tools, and what does not start without being told more.

import type { ProfileRun, WorkloadProfileSpec } from '#kinds'

export interface BuiltInProfile extends WorkloadProfileSpec {
  readonly name: string
  /** Only where the manifest leaves the image's own command as it is (arguments may be given). */
  readonly ownCommand?: boolean
  /** Only where nothing keeps the container's input open (`stdin`, `tty`): it ends by reading the end of it. */
  readonly withoutInput?: boolean
}

export const mib = (amount: number): readonly { readonly value: string }[] => [{ value: `${amount}Mi` }]
export const milli = (amount: number): readonly { readonly value: string }[] => [{ value: `${amount}m` }]

/** A server: what it says at its start, what it uses, how fast it ends. */
export const server = (
  name: string,
  images: readonly string[],
  uses: {
    readonly cpu: number
    readonly memory: number
    readonly endsAfter: number
    readonly says: readonly string[]
    readonly repeats?: string
  },
): BuiltInProfile => ({
  name,
  ownCommand: true,
  match: { images },
  container: {
    onSigterm: { exitCode: 0, afterSeconds: uses.endsAfter },
    usage: { cpu: milli(uses.cpu), memory: mib(uses.memory) },
    ...(uses.says.length === 0
      ? {}
      : {
          logs: [
            ...uses.says.map((text) => ({ text })),
            ...(uses.repeats === undefined ? [] : [{ afterSeconds: 5, everySeconds: 10, text: uses.repeats }]),
          ],
        }),
  },
})

/** A server that does not start without a variable (a password, the consent to a licence), whatever options it is given. */
export const wantsVariable = (
  name: string,
  images: readonly string[],
  { withoutEnv, server: command, says }: { withoutEnv: readonly string[]; server: string; says: string },
): BuiltInProfile => ({
  name: `${name}-without-variable`,
  ownCommand: true,
  match: { images, withoutEnv, commands: ['', '-*', command, `${command} *`] },
  container: { runs: [{ exitCode: 1, afterSeconds: 0.4, logTail: says }] },
})

/** A tool that does what it is told and ends. */
export const tool = (
  name: string,
  images: readonly string[],
  match: { readonly commands?: readonly string[] },
  run: ProfileRun,
): BuiltInProfile => ({
  name,
  ownCommand: true,
  match: { images, ...match },
  container: { runs: [run] },
})
