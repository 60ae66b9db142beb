package io.fjordmq.broker.accounts;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects audit records. Null selects all.
 *
 * @param source name of the user or API key
 * @param address IP address of the caller
 * @param operation id of the operation
 * @param success whether the operation succeeded
 * @param since earliest time
 * @param until latest time
 */
public record AuditFilter(
    @Nullable String source,
    @Nullable String address,
    @Nullable String operation,
    @Nullable Boolean success,
    @Nullable Instant since,
    @Nullable Instant until) {
  /** Whether the record is selected. */
  public boolean matches(AuditRecord one) {
    Caller caller = one.caller();
    return (source == null || (caller != null && source.equals(caller.name())))
        && (address == null || address.equals(one.address()))
        && (operation == null || operation.equals(one.operation()))
        && (success == null || success == one.isSuccess())
        && (since == null || !one.time().isBefore(since))
        && (until == null || !one.time().isAfter(until));
  }
}
