import { Cache } from "./cache.js";

export interface Forecast {
  readonly high: number;
  readonly low: number;
}

const forecasts = new Cache<Forecast>(15 * 60);

interface Answer {
  readonly daily: { readonly temperature_2m_max: number[]; readonly temperature_2m_min: number[] };
}

export async function forecast(latitude: number, longitude: number): Promise<Forecast> {
  const key = `${latitude.toFixed(2)},${longitude.toFixed(2)}`;
  const known = forecasts.get(key);
  if (known !== undefined) return known;

  const url = new URL(process.env.FORECAST_URL ?? "http://localhost:8080/v1/forecast");
  url.search = `latitude=${latitude}&longitude=${longitude}&daily=temperature_2m_max,temperature_2m_min`;
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`The forecast service answered ${response.status}`);

  const { daily } = (await response.json()) as Answer;
  const result = { high: daily.temperature_2m_max[0] ?? NaN, low: daily.temperature_2m_min[0] ?? NaN };
  forecasts.set(key, result);
  return result;
}
