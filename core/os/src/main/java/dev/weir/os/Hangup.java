package dev.weir.os;

import java.lang.reflect.Proxy;

/** The signal {@code SIGHUP}, which asks a service to reload its configuration. */
public final class Hangup {
    private Hangup() {}

    /**
     * Runs an action, on a separate thread, for each signal from now on.
     *
     * @return whether the system has the signal
     */
    public static boolean handle(Runnable action) {
        // Every JDK has these classes, but the compiler warns about their use.
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object forwarding = Proxy.newProxyInstance(Hangup.class.getClassLoader(), new Class<?>[]{handler},
                    (_, method, arguments) -> {
                        if (!method.getName().equals("handle")) {
                            // equals, hashCode and toString.
                            return method.invoke(action, arguments);
                        }
                        action.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler).invoke(null, signal.getConstructor(String.class)
                    .newInstance("HUP"), forwarding);
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return false;
        }
    }
}
