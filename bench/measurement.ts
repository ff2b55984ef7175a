// What a measurement is: it says what it takes and does what it is for.

import type { Command } from 'commander'

export type Measurement = (command: Command) => Command
