/** Authentication and authorization by HTTP services, with the protocols of EMQX 5 and 4. */
@NullMarked
package io.fjordmq.auth.http;

import org.jspecify.annotations.NullMarked;
