/** {@code weir demo}: real campaign mails, copies of them as spammers vary them, and unrelated mail. */
@NullMarked
package dev.weir.cli.demo;

import org.jspecify.annotations.NullMarked;
