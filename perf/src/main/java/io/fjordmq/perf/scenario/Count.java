package io.fjordmq.perf.scenario;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses numbers of clients in scenario names, such as 300, 15k or 0.1M. */
final class Count {
  private static final Pattern WHOLE = Pattern.compile("(\\d+(?:\\.\\d+)?)([kKM]?)");

  private Count() {}

  /**
   * Returns a named regular expression group that matches a number, for patterns of scenario names.
   */
  static String group(String name) {
    return "(?<" + name + ">\\d+(?:\\.\\d+)?[kKM]?)";
  }

  /**
   * Parses a number of clients.
   *
   * @throws UsageException if the text is not a whole number, or the number is too large
   */
  static int parse(String text) {
    Matcher matcher = WHOLE.matcher(text);
    if (!matcher.matches()) {
      throw new UsageException("'" + text + "' is not a number such as 300, 15k or 0.1M");
    }
    int unit =
        switch (matcher.group(2)) {
          case "" -> 1;
          case "M" -> 1_000_000;
          default -> 1_000;
        };
    try {
      return new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit)).intValueExact();
    } catch (ArithmeticException e) {
      throw new UsageException("'" + text + "' is not a whole number below 2,000,000,000");
    }
  }
}
