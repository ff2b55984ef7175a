// Runs in virtual time: scenarios as text transcripts.
export { commands as scenarioCommands } from './commands/index.ts'
export { type RunScenarioOptions, runScenario, type ScenarioRun, scenarioSeed } from './run.ts'
export { ScenarioError } from './scenario-error.ts'
