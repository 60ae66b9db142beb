package io.fjordmq.perf.micro;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The microbenchmarks, in the order of a message's path. */
public enum MicroBenchmark {
  DECODE(Decode.class),
  ROUTE_MATCH(RouteMatch.class),
  ENCODE(Encode.class),
  FAN_OUT(FanOut.class),
  INBOX_APPEND(InboxAppend.class),
  RANGE_APPLY(RangeApply.class);

  private final Class<?> benchmarkClass;

  MicroBenchmark(Class<?> benchmarkClass) {
    this.benchmarkClass = benchmarkClass;
  }

  /** The name on the command line: {@code route-match}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The benchmark with that name. */
  public static Optional<MicroBenchmark> withLabel(String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }

  /** A JMH regular expression for its methods. */
  String methodPattern() {
    return benchmarkClass.getName().replace(".", "\\.") + "\\..*";
  }
}
