package io.fjordmq.perf.micro;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The microbenchmarks, in the order of a message's way. */
public enum MicroBenchmark {
  DECODE(Decode.class),
  ROUTE_MATCH(RouteMatch.class),
  ENCODE(Encode.class),
  FAN_OUT(FanOut.class),
  INBOX_APPEND(InboxAppend.class),
  RANGE_APPLY(RangeApply.class);

  private final Class<?> code;

  MicroBenchmark(Class<?> code) {
    this.code = code;
  }

  /** As people call it: {@code route-match}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The one with the label. */
  public static Optional<MicroBenchmark> labelled(String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }

  /** Its benchmark methods, as JMH's regular expressions name them. */
  String methods() {
    return code.getName().replace(".", "\\.") + "\\..*";
  }
}
