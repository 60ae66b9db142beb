package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.inbox.InboxLimits;

/**
 * The limits of one tenant.
 *
 * @param session of each of its clients
 * @param tenant of the tenant as a whole
 * @param inbox of each of its persistent sessions
 */
public record TenantLimits(SessionSettings session, TenantSettings tenant, InboxLimits inbox) {
  /** What stands in the configuration file when it says nothing else. */
  public static TenantLimits defaults() {
    return new TenantLimits(
        SessionSettings.defaults(), TenantSettings.DEFAULTS, InboxLimits.DEFAULT);
  }
}
