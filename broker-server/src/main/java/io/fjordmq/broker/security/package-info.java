/**
 * Who may connect, and what they may do.
 *
 * <p>Start at {@link io.fjordmq.broker.security.Security}: it asks the chain of authenticators and
 * gives each accepted client its {@link io.fjordmq.broker.security.ClientAccess}. Shipped are the
 * password file, the ACL file, the name in a client's certificate and anonymous access; plugins add
 * to them. Knows neither sessions nor Netty.
 */
@NullMarked
package io.fjordmq.broker.security;

import org.jspecify.annotations.NullMarked;
