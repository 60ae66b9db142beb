package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import io.fjordmq.auth.tls.PemFiles;

/** Encrypts a connection that has just been opened. */
final class StartTls {
  private StartTls() {}

  /**
   * Encrypts the connection and verifies the certificate of the server.
   *
   * @throws LDAPException if the server refuses, so that nothing is sent without encryption
   */
  static void on(LDAPConnection connection, PemFiles files) throws LDAPException {
    StartTLSExtendedRequest request;
    try {
      request = new StartTLSExtendedRequest(files.read().context());
    } catch (IllegalArgumentException e) {
      throw new LDAPException(ResultCode.LOCAL_ERROR, String.valueOf(e.getMessage()), e);
    }
    ExtendedResult result = connection.processExtendedOperation(request);
    if (!result.getResultCode().equals(ResultCode.SUCCESS)) {
      throw new LDAPException(
          ResultCode.CONNECT_ERROR,
          "the directory refuses StartTLS: " + result.getResultCode().getName());
    }
  }
}
