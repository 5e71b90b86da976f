/** Tests commands on mails by the rules of a configuration. */
@NullMarked
package dev.weir.cli.mail;

import org.jspecify.annotations.NullMarked;
