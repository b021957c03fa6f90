import { expect, test } from 'vitest'
import { spreadLabels } from './spread-labels.ts'

const room = { spacing: 30, top: 10, bottom: 200 }

test('labels that have room stay where they are', () => {
  expect(spreadLabels([20, 80, 150], room)).toEqual([20, 80, 150])
})

test('labels that would lie on each other are moved apart, and stay within the drawing', () => {
  expect(spreadLabels([20, 25, 150], room)).toEqual([20, 50, 150])
  expect(spreadLabels([150, 190, 199], room)).toEqual([140, 170, 200])
  expect(spreadLabels([0], room)).toEqual([10])
})
