package dev.weir.storage.server;

import java.net.InetAddress;
import java.util.List;

import dev.weir.wire.Command;
import dev.weir.wire.CommandCode;

/**
 * Decides what may be done, in Rspamd's order (storage.md 8): encryption first, for every command; then what a command
 * is; then, for everything that changes something, whether its source may.
 */
final class Gate {
    /** What to do with a command. */
    enum Verdict {
        CHECK, STAT, PING,
        /** A write or a delete that is allowed. */
        UPDATE,
        /** A command without a meaning from somebody who may write: acknowledged, nothing is done (wire.md 5). */
        IGNORE,
        /** Refused: plain, where only encrypted requests are taken. */
        ENCRYPTION_REQUIRED,
        /** Refused: the source may not write. */
        FORBIDDEN
    }

    private final boolean encryptedOnly;
    private final List<Network> allowUpdate;

    Gate(boolean encryptedOnly, List<Network> allowUpdate) {
        this.encryptedOnly = encryptedOnly;
        this.allowUpdate = allowUpdate;
    }

    Verdict judge(Command command, boolean encrypted, Peer from) {
        if (encryptedOnly && !encrypted) {
            return Verdict.ENCRYPTION_REQUIRED;
        }
        return switch (command.code()) {
            case CommandCode.CHECK -> Verdict.CHECK;
            case CommandCode.STAT -> Verdict.STAT;
            case CommandCode.PING -> Verdict.PING;
            case CommandCode.WRITE, CommandCode.DEL -> mayWrite(from.address()) ? Verdict.UPDATE : Verdict.FORBIDDEN;
            default -> mayWrite(from.address()) ? Verdict.IGNORE : Verdict.FORBIDDEN;
        };
    }

    private boolean mayWrite(InetAddress source) {
        for (Network network : allowUpdate) {
            if (network.contains(source)) {
                return true;
            }
        }
        return false;
    }
}
