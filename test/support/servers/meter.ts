import { type MetricMeter, type MetricTags, noopMetricMeter } from '@temporalio/common';

export interface RecordingMeter extends MetricMeter {
  /** Every value, in order: `name{tag="value"} number`. */
  recorded: string[];
}

export function recordingMeter(): RecordingMeter {
  const recorded: string[] = [];
  const record = (name: string, value: number, tags: MetricTags = {}): void => {
    const told = Object.entries(tags).map(([tag, text]) => `${tag}="${text}"`);
    recorded.push(`${name}{${told.join(',')}} ${value}`);
  };
  const meter: RecordingMeter = {
    recorded,
    createCounter: (name) => ({
      ...({ kind: 'counter', valueType: 'int', name } as const),
      add: (value, tags) => {
        record(name, value, tags);
      },
      withTags: () => meter.createCounter(name),
    }),
    createGauge: (name) => ({
      ...({ kind: 'gauge', valueType: 'int', name } as const),
      set: (value, tags) => {
        record(name, value, tags);
      },
      withTags: () => meter.createGauge(name),
    }),
    createHistogram: (name, ...rest) => noopMetricMeter.createHistogram(name, ...rest),
    withTags: () => meter,
  };
  return meter;
}
