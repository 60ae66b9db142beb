package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import java.time.InstantSource;
import java.util.List;

/** Security components provided by a test, called on the caller's thread. */
public final class TestSecurity {
  private TestSecurity() {}

  /** With these extensions, in this order, and no settings. */
  public static Security of(Extension... extensions) {
    return of(SecuritySettings.DEFAULTS, SecurityObserver.NONE, extensions);
  }

  /** With these settings and extensions. */
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
      return Security.open(settings, List.of(plugin), clock, observer);
    } catch (SecurityStartException e) {
      throw new AssertionError(e);
    }
  }
}
