import { SHORT_RUNS } from './languages.js'
import { testOperations } from './operations/operation-suite.js'

testOperations(SHORT_RUNS)
