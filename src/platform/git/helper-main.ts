// The helper process that runs git for a large one.
import { serve } from '../processes/helper-process.ts'
import { runHere } from './execute.ts'

serve(runHere)
