// Sync and health words with one colour each, the same everywhere.

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'off'

const tones: Readonly<Record<string, Tone>> = {
  Synced: 'good',
  OutOfSync: 'warn',
  Healthy: 'good',
  Progressing: 'busy',
  Degraded: 'bad',
  Missing: 'warn',
  Suspended: 'off',
  Unknown: 'off',
  Succeeded: 'good',
  Running: 'busy',
  Terminating: 'busy',
  'Sync Allowed': 'good',
  'Manual Allowed': 'warn',
  'Sync Denied': 'bad',
  Failed: 'bad',
  Error: 'bad',
  Warning: 'warn',
  Normal: 'off',
  converged: 'good',
  progressing: 'busy',
  stuck: 'bad',
}

export const toneOf = (word: string | undefined): Tone => tones[word ?? ''] ?? 'off'

/** The worse of sync and health: the colour of an application as a whole. */
export function appTone(sync: string | undefined, health: string | undefined): Tone {
  const order: readonly Tone[] = ['bad', 'warn', 'busy', 'off', 'good']
  return order.find((tone) => toneOf(sync) === tone || toneOf(health) === tone) ?? 'off'
}

export function Badge({ word, title }: { readonly word: string | undefined; readonly title?: string | undefined }) {
  const text = word === undefined || word === '' ? 'Unknown' : word
  return (
    <span className={`badge tone-${toneOf(text)}`} title={title}>
      {text}
    </span>
  )
}
