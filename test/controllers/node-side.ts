// What the containers of these tests do: images named `broken` cannot be pulled, a command `exit N` ends after a second
// with that code, and `wait` runs for ever.

import { defaultWorkloads, type Workloads } from '#kubelet'

export const workloads: Workloads = {
  ...defaultWorkloads,
  container(pod, name) {
    const command = pod.spec.containers.find((container) => container.name === name)?.command?.join(' ') ?? ''
    const code = /exit (\d+)/.exec(command)?.[1]
    if (code !== undefined) return { runs: [{ exitCode: Number(code), afterSeconds: 1 }], lastRepeats: true }
    if (command === 'wait') return { runs: [{ forever: true }] }
    return defaultWorkloads.container(pod, name)
  },
  image: (name) =>
    name === 'broken'
      ? { pulls: [{ seconds: 0, result: 'error', message: 'no such image' }] }
      : defaultWorkloads.image(name),
}
