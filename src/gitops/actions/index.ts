// Resource actions: what can be done with one object, Argo CD's own and users', as writes that somebody else carries out.
export {
  ActionFault,
  type ActionRequest,
  type Impact,
  type ResourceAction,
  type ResourceActionParameter,
} from './action.ts'
export { type Actions, createActions } from './actions.ts'
