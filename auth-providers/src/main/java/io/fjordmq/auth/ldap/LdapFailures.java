package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import io.fjordmq.api.auth.ProviderException;

/** Converts the exceptions of the LDAP library. */
final class LdapFailures {
  private LdapFailures() {}

  /** Returns the failure of an operation. Operations only read, so they can be repeated. */
  static ProviderException of(LDAPException error) {
    ResultCode code = error.getResultCode();
    if (code.equals(ResultCode.TIMEOUT) || code.equals(ResultCode.TIME_LIMIT_EXCEEDED)) {
      return new ProviderException("LDAP: the directory did not respond in time", false, error);
    }
    if (code.equals(ResultCode.REFERRAL)) {
      return new ProviderException(
          "LDAP: the directory refers to another server, and referrals are not followed: "
              + String.join(", ", error.getReferralURLs()),
          false,
          error);
    }
    return new ProviderException(
        "LDAP: " + code.getName() + ": " + firstLine(error), isLost(error), error);
  }

  /** Whether the connection was lost. */
  static boolean isLost(LDAPException error) {
    ResultCode code = error.getResultCode();
    return !code.isConnectionUsable() && !code.equals(ResultCode.TIMEOUT);
  }

  private static String firstLine(LDAPException error) {
    return String.valueOf(error.getMessage()).lines().findFirst().orElse("").strip();
  }
}
