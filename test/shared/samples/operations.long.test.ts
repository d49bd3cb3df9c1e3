import { LONG_RUNS } from './languages.js'
import { testOperations } from './operations/operation-suite.js'

testOperations(LONG_RUNS)
