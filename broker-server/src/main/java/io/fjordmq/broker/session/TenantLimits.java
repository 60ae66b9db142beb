package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.inbox.InboxLimits;

/**
 * The limits of one tenant.
 *
 * @param session limits for each client
 * @param tenant limits for the tenant as a whole
 * @param inbox limits for each persistent session
 */
public record TenantLimits(SessionSettings session, TenantSettings tenant, InboxLimits inbox) {
  /** The default values. */
  public static TenantLimits defaults() {
    return new TenantLimits(
        SessionSettings.defaults(), TenantSettings.DEFAULTS, InboxLimits.DEFAULT);
  }
}
