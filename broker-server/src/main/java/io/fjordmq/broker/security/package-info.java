/**
 * Authentication and authorization of clients.
 *
 * <p>Start reading at {@link io.fjordmq.broker.security.Security}, which runs the chain of
 * authenticators and gives each admitted client its {@link
 * io.fjordmq.broker.security.ClientAccess}. The password file, the ACL file, user names from
 * certificates and anonymous access are built in; plugins can add more. This package depends on
 * neither sessions nor Netty.
 */
@NullMarked
package io.fjordmq.broker.security;

import org.jspecify.annotations.NullMarked;
