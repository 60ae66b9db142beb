/**
 * Shared code of providers that connect to servers: addresses, warnings about plain connections,
 * and threads for libraries that block.
 */
@NullMarked
package io.fjordmq.auth.connection;

import org.jspecify.annotations.NullMarked;
