/** Tests of authentication, authorization and plugins. */
@NullMarked
package io.fjordmq.broker.security;

import org.jspecify.annotations.NullMarked;
