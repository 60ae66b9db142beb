package io.fjordmq.cli.sizing;

import java.util.Locale;

/**
 * A cost per message that falls as the rate grows, because more messages share an fsync, a frame
 * and a wake-up. Between the measured rates, the logarithm of the cost is interpolated linearly
 * over the logarithm of the rate; outside them, the nearest measurement applies.
 */
public enum RateCost {
  /** CPU of the node, per message in or out. */
  ONE_VOTER(new double[] {100, 1_000, 3_000, 10_000}, new double[] {575, 78, 52, 22.5}),
  /** CPU of all three nodes, per message in or out, at this many publishes per second in all. */
  THREE_VOTERS(new double[] {100, 1_000, 3_000, 10_000}, new double[] {1_393, 343, 156, 69}),
  /** CPU of both nodes for a message that a node passes on to another one. */
  BETWEEN_NODES(new double[] {2_000, 10_000}, new double[] {254, 100});

  private final double[] rates;
  private final double[] micros;

  RateCost(double[] rates, double[] micros) {
    this.rates = rates;
    this.micros = micros;
  }

  /**
   * Returns the CPU time per message, in µs.
   *
   * @param perSecond messages per second, at least 0
   */
  public double micros(double perSecond) {
    int last = rates.length - 1;
    if (perSecond <= rates[0]) {
      return micros[0];
    } else if (perSecond >= rates[last]) {
      return micros[last];
    }
    int upper = 1;
    while (rates[upper] < perSecond) {
      upper++;
    }
    double part =
        Math.log(perSecond / rates[upper - 1]) / Math.log(rates[upper] / rates[upper - 1]);
    return micros[upper - 1] * Math.pow(micros[upper] / micros[upper - 1], part);
  }

  /** Returns the measured points as "rate: cost", for the documentation. */
  public String points() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < rates.length; i++) {
      text.append(i == 0 ? "" : ", ").append("%s: %s".formatted(plain(rates[i]), plain(micros[i])));
    }
    return text.toString();
  }

  private static String plain(double value) {
    return String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.1f", value);
  }
}
