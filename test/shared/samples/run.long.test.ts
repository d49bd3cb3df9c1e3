import { LONG_RUNS } from './languages.js'
import { testSamples } from './sample-suite.js'

testSamples(LONG_RUNS)
