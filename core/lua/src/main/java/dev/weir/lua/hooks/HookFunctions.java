package dev.weir.lua.hooks;

import java.net.InetAddress;
import java.time.Instant;
import java.util.List;

import dev.weir.lua.HostFunction;
import dev.weir.lua.LuaValue;
import org.jspecify.annotations.Nullable;

/** The host functions of {@code hooks.lua}, which act on the storage. */
final class HookFunctions implements HostFunction {
    private static final double LAST_SECOND = 253402300799.0;
    private final HookHost storage;

    HookFunctions(HookHost storage) {
        this.storage = storage;
    }

    @Override
    public @Nullable Object call(String name, List<LuaValue> arguments) {
        return switch (name) {
            case "hooks.block" -> block(arguments);
            case "hooks.whitelisted" -> storage.isRateLimitWhitelisted(InetAddress.ofLiteral(text(arguments, 0)));
            default -> throw new IllegalArgumentException("unknown function " + name);
        };
    }

    private @Nullable String block(List<LuaValue> arguments) {
        InetAddress address = InetAddress.ofLiteral(text(arguments, 0));
        int longest = 8 * address.getAddress().length;
        double prefix = number(arguments, 1);
        if (!(prefix >= 0 && prefix <= longest)) {
            return "prefix length must be 0 to " + longest;
        }
        double expires = number(arguments, 2);
        if (!(expires >= 0 && expires <= LAST_SECOND)) {
            return "expiry must be seconds since 1970";
        }
        double code = number(arguments, 4);
        if (!(code >= 0 && code <= Integer.MAX_VALUE)) {
            return "code must be a positive number";
        }
        return storage.block(address, (int) prefix, expires == 0 ? null : Instant.ofEpochMilli((long) (expires * 1000)),
                text(arguments, 3), code == 0 ? HookVerdict.REFUSED_VALUE : (int) code);
    }

    private static String text(List<LuaValue> arguments, int index) {
        return index < arguments.size() && arguments.get(index) instanceof LuaValue.Str string ? string.text() : "";
    }

    private static double number(List<LuaValue> arguments, int index) {
        return index < arguments.size() && arguments.get(index) instanceof LuaValue.Num(double value) ? value : 0;
    }
}
