package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import java.time.InstantSource;
import java.util.List;

/** Creates security with extensions of a test, which are called on the caller's thread. */
public final class TestSecurity {
  private TestSecurity() {}

  /** Creates security with these extensions, in this order, and default settings. */
  public static Security of(Extension... extensions) {
    return of(SecuritySettings.DEFAULTS, SecurityObserver.NONE, extensions);
  }

  /** Creates security with these settings and extensions. */
  public static Security of(
      SecuritySettings settings, SecurityObserver observer, Extension... extensions) {
    return of(settings, observer, InstantSource.system(), extensions);
  }

  static Security of(
      SecuritySettings settings,
      SecurityObserver observer,
      InstantSource clock,
      Extension... extensions) {
    try {
      Plugin plugin = new Plugin("the test", List.of(extensions), Runnable::run);
      return Security.open(settings, List.of(plugin), UserSource.NONE, clock, observer);
    } catch (SecurityStartException e) {
      throw new AssertionError(e);
    }
  }
}
