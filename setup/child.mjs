// Runs a program in this one's place: signals are handed on, and its end is this one's end.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/**
 * Resolves with the exit code, as a shell tells it (128 and the signal's number for a program that a signal ended). A signal
 * that nobody sent through this process is told: a crash in native code says nothing of itself.
 */
export function runChild(command, args, options, say) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options)
    let asked = false
    const forward = (signal) => {
      asked = true
      child.kill(signal)
    }
    process.on('SIGINT', forward)
    process.on('SIGTERM', forward)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('SIGINT', forward)
      process.off('SIGTERM', forward)
      if (signal === null) return resolve(code ?? 1)
      if (!asked)
        say(`ended by ${signal}: started again it goes on where it was, or says what is wrong with what it kept`)
      resolve(128 + constants.signals[signal])
    })
  })
}
