package io.fjordmq.broker.settings.seeded;

import io.fjordmq.broker.session.Sessions;

/** Settings that reach into sessions instead of telling their listeners. */
public final class SettingsThatKnowSessions {
  private SettingsThatKnowSessions() {}

  static void apply(Sessions sessions) {
    sessions.applyLimits();
  }
}
