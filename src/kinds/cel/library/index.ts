// All functions that Kubernetes' expressions have (k8s.io/apiserver/pkg/cel/environment/base.go at 1.34).

import { Functions } from '../types/functions.ts'
import { addAddresses } from './addresses.ts'
import { addAuthorizer } from './authorizer.ts'
import { addFormats } from './formats.ts'
import { addLists, addNewLists, addSets } from './lists.ts'
import { addOptionals } from './optionals.ts'
import { addQuantities } from './quantities.ts'
import { addRegex } from './regex.ts'
import { addVersions } from './semver.ts'
import { addStandard } from './standard.ts'
import { addStrings } from './strings.ts'
import { addUrls } from './urls.ts'

const parts = [
  addStandard,
  addOptionals,
  addUrls,
  addRegex,
  addLists,
  addAuthorizer,
  addQuantities,
  addStrings,
  addSets,
  addAddresses,
  addFormats,
  addVersions,
]

function made(): Functions {
  const functions = new Functions()
  for (const add of parts) add(functions)
  return functions
}

/** For expressions that are written now: what the version before has, too, so that one can go back to it. */
export const newFunctions = made()

/** For expressions that are stored. */
export const storedFunctions = new Functions(newFunctions)
addNewLists(storedFunctions)
