//! What is done in a session of its own: begun with what may be seen, again if its connection was
//! lost, and ended whatever came of it.

/// Reads what access opens, at one moment.
macro_rules! reading {
    ($store:ident, $access:expr; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        let access = $access.clone();
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                let access = access.clone();
                $(let $name = $name.clone();)*
                async move {
                    let $session = Session::read_open(&connections, &access).await?;
                    let answer = $task.await;
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Reads what is nobody's, at one moment.
macro_rules! reading_all {
    ($store:ident; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                $(let $name = $name.clone();)*
                async move {
                    let mut $session = Session::read(&connections).await?;
                    let answer = match $session.open_all().await {
                        Ok(()) => $task.await,
                        Err(error) => Err(error),
                    };
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Asks one question about what is nobody's.
macro_rules! asking {
    ($store:ident; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                $(let $name = $name.clone();)*
                async move {
                    let $session = Session::single(&connections).await?;
                    let answer = $task.await;
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Reads some scopes, at one moment.
macro_rules! reading_scopes {
    ($store:ident, $scopes:expr; $session:ident $(, $name:ident = $value:expr)* => $task:expr) => {{
        let scopes: Vec<Scope> = $scopes.to_vec();
        $(let $name = $value;)*
        $store
            .repeat(move |connections| {
                let scopes = scopes.clone();
                $(let $name = $name.clone();)*
                async move {
                    let mut $session = Session::read(&connections).await?;
                    let answer = match $session.open_scopes(&scopes).await {
                        Ok(_) => $task.await,
                        Err(error) => Err(error),
                    };
                    $session.end(answer)
                }
            })
            .await
    }};
}

/// Writes what no commit does.
macro_rules! writing {
    ($store:ident; $session:ident => $task:expr) => {{
        let connections = $store.connections.clone();
        $store
            .run(async move {
                let mut $session = Session::write(&connections).await?;
                let answer = match $session.open_all().await {
                    Ok(()) => $task.await,
                    Err(error) => Err(error),
                };
                $session.finish(answer).await
            })
            .await
    }};
}

pub(super) use {asking, reading, reading_all, reading_scopes, writing};
