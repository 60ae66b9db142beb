package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.inbox.InboxLimits;

/**
 * The limits of one tenant.
 *
 * @param session limits for each client
 * @param tenant limits for the tenant as a whole
 * @param user limits for each user
 * @param inbox limits for each persistent session
 */
public record TenantLimits(
    SessionSettings session, TenantSettings tenant, ConnectionLimits user, InboxLimits inbox) {
  /** Creates limits without those of users. */
  public TenantLimits(SessionSettings session, TenantSettings tenant, InboxLimits inbox) {
    this(session, tenant, ConnectionLimits.NONE, inbox);
  }

  /** The default values. */
  public static TenantLimits defaults() {
    return new TenantLimits(
        SessionSettings.defaults(), TenantSettings.DEFAULTS, InboxLimits.DEFAULT);
  }
}
