/** Authentication with JSON Web Tokens. */
@NullMarked
package io.fjordmq.auth.jwt;

import org.jspecify.annotations.NullMarked;
