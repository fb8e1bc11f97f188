// The helper process that runs git for a large one.
import { serve } from '../processes/helper.ts'
import { runHere } from './running.ts'

serve(runHere)
