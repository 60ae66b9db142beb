package io.fjordmq.perf.users;

import io.fjordmq.perf.scenario.YamlRecords;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The first provider of a list in the configuration of a broker. */
final class FirstProvider {
  private FirstProvider() {}

  /** Returns one of its settings. */
  static String setting(UserService users, String list, String key) {
    Object security = YamlRecords.parse(users.configuration()).get("securityConfig");
    Object providers = ((Map<?, ?>) Objects.requireNonNull(security)).get(list);
    Object first = ((List<?>) Objects.requireNonNull(providers)).get(0);
    return String.valueOf(((Map<?, ?>) Objects.requireNonNull(first)).get(key));
  }
}
