// Health of what Argo's other projects keep in the cluster: analyses, experiments, workflows, event buses, sets of applications.

import { rolloutHealth } from './rollout.ts'
import type { RuleTable } from './rule.ts'

export const argoTable: RuleTable = {
  'argoproj.io/AnalysisRun': [
    {
      field: 'status.phase',
      values: {
        Pending: ['Progressing', 'Analysis run is running'],
        Running: ['Progressing', 'Analysis run is running'],
        Successful: ['Healthy', '{status.message}', 'Analysis run completed successfully'],
        Failed: ['Degraded', '{status.message}', 'Analysis run failed'],
        Error: ['Degraded', '{status.message}', 'Analysis run had an error'],
        Inconclusive: ['Unknown', '{status.message}', 'Analysis run was inconclusive'],
      },
    },
    { answer: ['Progressing', 'Waiting for analysis run to finish: status has not been reconciled.'] },
  ],
  // An error that occurred outranks what is out of date, and that a roll-out that is on its way.
  'argoproj.io/ApplicationSet': [
    { conditions: { 'ErrorOccurred=True': ['Degraded'] } },
    { conditions: { 'ResourcesUpToDate=False': ['Degraded'] } },
    { conditions: { 'RolloutProgressing=True': ['Progressing'] } },
    { conditions: { 'ResourcesUpToDate=True': ['Healthy'] } },
    { answer: ['Progressing', 'Waiting for the status to be reported'] },
  ],
  'argoproj.io/CronWorkflow': [
    {
      conditions: {
        'SpecError=True': ['Degraded'],
        'SubmissionError=True': ['Degraded'],
        'Completed=True': ['Healthy'],
      },
    },
    { answer: ['Healthy', 'CronWorkflow is healthy.'] },
  ],
  'argoproj.io/EventBus': [
    {
      conditions: {
        'Deployed=False': ['Degraded', '{.message}', '{.reason}'],
        'Deployed=True': ['Healthy', '{.message}', '{.reason}'],
      },
    },
    { answer: ['Progressing', 'Waiting for initialization'] },
  ],
  'argoproj.io/Experiment': [
    {
      field: 'status.phase',
      values: {
        Pending: ['Progressing', 'Experiment is pending'],
        Running: ['Progressing', 'Experiment is running'],
        Successful: ['Healthy', 'Experiment is successful'],
        Failed: ['Degraded', 'Experiment has failed'],
        Error: ['Degraded', 'Experiment had an error'],
      },
    },
    { answer: ['Progressing', 'Waiting for experiment to finish: status has not been reconciled.'] },
  ],
  'argoproj.io/Rollout': rolloutHealth,
}
