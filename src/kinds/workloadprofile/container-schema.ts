// The structural schema of what a WorkloadProfile says of containers: runs, signals, probes, hooks, usage, logs, commands.

import type { JsonObject } from '#objects'
import { flag, list, object, oneOf, quantity, seconds, text, textMap, whole } from '../lab/schema-words.ts'

const run = object(
  {
    forever: flag('It runs until somebody stops it.'),
    exitCode: whole('It ends by itself with this exit code; default 0, or 128 and the signal.'),
    signal: whole('It is ended by this signal.', 1),
    afterSeconds: seconds(
      'So long after its start; without it and without exitCode, signal or oomKilled it runs for ever.',
    ),
    oomKilled: flag('The kernel kills it for its use of memory: reason OOMKilled, exit code 137.'),
    terminationMessage: text(
      'What it writes to terminationMessagePath; env:NAME in braces after a dollar sign stands for its variable NAME.',
    ),
    logTail: text('What it has written to its log.'),
  },
  'One run of the container.',
)

const onSigterm = object(
  {
    ignored: flag('It has no handler: SIGKILL after the grace period, exit code 137.'),
    exitCode: whole('The exit code; default 0.'),
    afterSeconds: seconds('From the signal to the end; default 0.2.'),
    deferredUntilSeconds: list(
      { type: 'number' },
      'A signal before such a moment (since the start) is acted on only then.',
    ),
    ignoredBeforeSeconds: seconds('The handler is there only so long after the start.'),
  },
  'What it does when it is asked to end.',
)

const segments = (what: string): JsonObject =>
  list(
    object(
      {
        fromSeconds: seconds('When this begins; default 0.'),
        since: oneOf(['start', 'preStop'], "Counted from the container's start (default) or from its preStop hook."),
        result: oneOf(
          ['success', 'failure', 'error', 'timeout'],
          'What the probe finds; error: it could not be carried out; timeout: no answer in time.',
        ),
        output: text('The text that follows "probe failed: ", where the prober has no words of its own.'),
        cause: object(
          {
            kind: oneOf(
              [
                'exec',
                'exec-cannot-start',
                'connection-refused',
                'connection-accepted',
                'http-status',
                'http-no-answer',
              ],
              'What happened.',
            ),
            exitCode: whole('Exit code of the command.'),
            httpStatus: whole('Status code of the answer.'),
            body: text('Body of the answer.'),
            takesSeconds: seconds('How long an answer would take.'),
          },
          'Why, so that the prober can word it.',
          ['kind'],
        ),
      },
      'From a moment on, until the next one.',
      ['result'],
    ),
    what,
  )

const hook = (what: string): JsonObject =>
  object(
    {
      result: oneOf(['ok', 'error'], 'How it ends; default ok.'),
      seconds: seconds('How long it takes.'),
      exitCode: whole('Exit code of its command.'),
      output: text('Output of its command.'),
      message: text("The error inside of the kubelet's sentence."),
    },
    what,
  )

const curve = (what: string, value: string): JsonObject =>
  list(
    object(
      {
        fromSeconds: seconds("Since the container's start; default 0."),
        value: quantity(value),
        ramp: flag('Reached in a straight line from the point before, rather than at once.'),
      },
      'One point of the curve.',
      ['value'],
    ),
    what,
  )

export const container = object(
  {
    startSeconds: seconds('From created to running; default 0.09.'),
    startError: object(
      {
        message: text("The runtime's error text."),
        exitCode: whole('Exit code in the status; default 128.'),
        reason: text('Reason in the status; default StartError.'),
        seconds: seconds('From created to failed.'),
      },
      'The runtime cannot start it: RunContainerError.',
      ['message'],
    ),
    createError: object(
      { message: text("The runtime's error text.") },
      'The runtime cannot create it: CreateContainerError.',
      ['message'],
    ),
    runs: list(run, 'Its first, second … run; the last one holds for all further ones.'),
    onSigterm,
    probes: object(
      {
        startup: segments('What a startup probe finds over time; default success.'),
        readiness: segments('What a readiness probe finds over time; default success.'),
        liveness: segments('What a liveness probe finds over time; default success.'),
      },
      'What probes find, the same in each run.',
    ),
    requests: segments(
      'What requests from the network meet over time while it runs; default: what readiness probes find, or else liveness probes.',
    ),
    hooks: object(
      { postStart: hook('The postStart hook.'), preStop: hook('The preStop hook.') },
      'What its lifecycle hooks do.',
    ),
    usage: object(
      {
        cpu: curve('CPU that it uses.', 'CPU, such as 250m.'),
        sharedCpu: curve(
          "CPU that all running containers of the profile use together, each the same part, since the profile's creation: a load that more pods make lighter for each.",
          'CPU, such as 250m.',
        ),
        memory: curve('Memory that it uses; more than its limit gets it OOMKilled.', 'Memory, such as 128Mi.'),
        ephemeralStorage: curve(
          'What it has written to its own file system and its log; more than its limit gets the pod evicted.',
          'Bytes, such as 2Gi.',
        ),
        pids: curve('Its processes; default 5.', 'A number, such as 40.'),
      },
      'What it uses over time.',
    ),
    logs: list(
      object(
        {
          afterSeconds: seconds("When it is written, since the container's start; default 0."),
          everySeconds: seconds('Written again and again, so far apart.'),
          text: text('The line.'),
        },
        'A line of its log.',
        ['text'],
      ),
      'What it writes to its log.',
    ),
    exec: list(
      object(
        {
          command: text('A glob of the command with its arguments, joined by blanks.'),
          stdout: text('What it prints.'),
          stderr: text('What it complains of.'),
          exitCode: whole('Its exit code; default 0.'),
          seconds: seconds('How long it takes; default 0.'),
        },
        'One command.',
        ['command'],
      ),
      'How commands run by kubectl exec end; the first one that matches counts. Others are run by a small simulated shell.',
    ),
    files: textMap('Files in the image that commands run by kubectl exec find: contents by absolute path.'),
  },
  'What the containers do. Fields that are left out come from the next profile that matches, and at last from the built-in ones.',
)
